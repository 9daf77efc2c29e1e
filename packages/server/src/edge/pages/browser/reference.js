/* global Scalar */
// Renders the reference from the OpenAPI document. Loads nothing from other servers: no fonts, no proxy, no assistants.
Scalar.createApiReference('#reference', {
  url: new URL('../openapi.json', document.baseURI).href,
  title: 'Freebets',
  withDefaultFonts: false,
  showDeveloperTools: 'never',
  hideDarkModeToggle: true,
  // Generated samples would put the secret where the signature belongs. The document's samples compute the header.
  hiddenClients: true,
  // The client can't sign requests; the page at `try` can.
  hideClientButton: true,
  hideTestRequestButton: true,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
});
