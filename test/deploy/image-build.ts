import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { pathOf, run } from './tools.ts';

// The image of deploy/Dockerfile, built where no registry of images is reached: both of its base images are built here, of Debian's
// packages and of the Node.js and npm of this machine. Everything is in one folder, and the storage of the user is not touched.

export interface Image {
  /** Where its files are. */
  root: string;
  config: {
    User: string;
    Env: string[];
    Entrypoint: string[];
    Cmd: string[];
    WorkingDir: string;
    StopSignal: string;
  };
}

/** On a disk: several gigabytes for some minutes. */
const parent = '/var/tmp';

const prefix = 'freebets-image-';
const removeAll = (folder: string) => rmSync(folder, { recursive: true, force: true, maxRetries: 10 });

/** Gone with the process, or where that was killed with the next one that comes here. */
export async function buildImage(say: (line: string) => void): Promise<Image> {
  for (const name of readdirSync(parent).filter((each) => each.startsWith(prefix))) {
    if (!existsSync(`/proc/${name.slice(prefix.length).split('-')[0]}`)) removeAll(join(parent, name));
  }
  const folder = mkdtempSync(join(parent, `${prefix}${process.pid}-`));
  process.once('exit', () => removeAll(folder));
  return buildIn(folder, say);
}

async function buildIn(folder: string, say: (line: string) => void): Promise<Image> {
  const storage = ['--root', join(folder, 'storage'), '--runroot', join(folder, 'run'), '--storage-driver', 'vfs'];
  const buildah = async (...args: string[]) => (await finished('buildah', [...storage, ...args])).trim();
  const fromTar = async (tar: string, name: string, fill: (root: string) => void) => {
    const container = await buildah('from', 'scratch');
    await buildah('add', '--quiet', container, tar, '/');
    fill(await buildah('mount', container));
    await buildah('commit', '--quiet', '--rm', container, name);
    rmSync(tar);
  };
  say('Debian for the base and for the build');
  const [base, build] = [join(folder, 'base.tar'), join(folder, 'build.tar')];
  await debian('extract', ['libc6', 'libgcc-s1', 'libstdc++6'], base);
  await debian('essential', ['libatomic1', 'libgcc-s1', 'libstdc++6'], build);
  await fromTar(base, 'localhost/base', () => {});
  await fromTar(build, 'localhost/node', putNode);
  say('the image');
  const images = ['NODE_IMAGE=localhost/node', 'BASE_IMAGE=localhost/base'].flatMap((each) => ['--build-arg', each]);
  const files = ['--file', pathOf('deploy/Dockerfile'), '--ignorefile', pathOf('deploy/Dockerfile.dockerignore')];
  await buildah(
    'bud',
    '--isolation',
    'chroot',
    '--pull-never',
    ...images,
    ...files,
    '--tag',
    'localhost/freebets',
    pathOf('.'),
  );
  const container = await buildah('from', '--pull-never', 'localhost/freebets');
  const { OCIv1: described } = JSON.parse(await buildah('inspect', container));
  return { root: await buildah('mount', container), config: described.config };
}

const debian = (variant: string, packages: string[], tar: string) =>
  finished('mmdebstrap', ['--quiet', `--variant=${variant}`, `--include=${packages.join()}`, 'bookworm', tar]);

/** As in the image of Node.js, with the settings of npm that this machine has: it may reach packages by a way of its own. */
function putNode(root: string): void {
  const [bin, lib, etc] = ['bin', 'lib/node_modules', 'etc'].map((name) => join(root, 'usr/local', name)) as [
    string,
    string,
    string,
  ];
  for (const path of [bin, lib, etc]) mkdirSync(path, { recursive: true });
  copyFileSync(process.execPath, join(bin, 'node'));
  const npm = dirname(dirname(realpathSync(run('which', ['npm']).output.trim())));
  assert.equal(run('cp', ['--recursive', '--dereference', npm, lib]).code, 0);
  assert.equal(run('ln', ['--symbolic', '../lib/node_modules/npm/bin/npm-cli.js', join(bin, 'npm')]).code, 0);
  const setting = (name: string) => run('npm', ['config', 'get', name]).output.trim();
  const settings = [`registry=${setting('registry')}`];
  const authorities = setting('cafile');
  if (existsSync(authorities)) {
    copyFileSync(authorities, join(etc, 'authorities.pem'));
    settings.push('cafile=/usr/local/etc/authorities.pem');
  }
  writeFileSync(join(etc, 'npmrc'), settings.map((each) => `${each}\n`).join(''));
}

/** What it has written, or all of it in the error. */
async function finished(tool: string, args: string[]): Promise<string> {
  const child = spawn(tool, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let [out, all] = ['', ''];
  child.stdout.on('data', (chunk) => {
    out += chunk;
    all += chunk;
  });
  child.stderr.on('data', (chunk) => {
    all += chunk;
  });
  const [code] = await once(child, 'close');
  assert.equal(code, 0, `${tool} ${args.join(' ')}\n${all.slice(-4000)}`);
  return out;
}
