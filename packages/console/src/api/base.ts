/** Where the console lives, such as `/console` or `/promo/console`: the server writes it into the page. */
export const basePath = new URL(document.baseURI).pathname.replace(/\/+$/, '');

/** Where operations are. */
export const apiPath = `${basePath}/api`;
