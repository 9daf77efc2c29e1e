<?php

// Loads the classes of this package for projects without Composer: require 'clients/php/autoload.php'.

declare(strict_types=1);

spl_autoload_register(static function (string $class): void {
    if (!str_starts_with($class, 'Freebets\\')) {
        return;
    }
    $file = __DIR__ . '/src/' . strtr(substr($class, strlen('Freebets\\')), '\\', '/') . '.php';
    if (is_file($file)) {
        require $file;
    }
});
