/* global Scalar */
// Draws the reference from the OpenAPI document. Nothing is fetched from elsewhere: no fonts, no proxy, no assistants.
Scalar.createApiReference('#reference', {
  url: new URL('../openapi.json', document.baseURI).href,
  title: 'Freebets',
  withDefaultFonts: false,
  showDeveloperTools: 'never',
  hideDarkModeToggle: true,
  // Samples of its own would put a secret where a signature belongs; those of the document show how the header is made.
  hiddenClients: true,
  // A request must be signed over its bytes, which the page at try does.
  hideClientButton: true,
  hideTestRequestButton: true,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
});
