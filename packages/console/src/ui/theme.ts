import { type CSSVariablesResolver, createTheme, type MantineColorsTuple } from '@mantine/core';

/** The CSP nonce for styles. The server creates one for each page. */
export const styleNonce = document.querySelector<HTMLMetaElement>('meta[name="style-nonce"]')?.content ?? '';

// The scroll lock of dialogs writes its own style and takes the nonce from this variable.
Object.assign(globalThis, { __webpack_nonce__: styleNonce });

const accent: MantineColorsTuple = [
  '#eef3ff',
  '#dbe5fb',
  '#b4c8f4',
  '#8aa9ee',
  '#678fe8',
  '#517ee5',
  '#4475e4',
  '#2f5fcb',
  '#2457d6',
  '#1b47a8',
];

export const theme = createTheme({
  primaryColor: 'accent',
  primaryShade: { light: 8, dark: 7 },
  colors: { accent },
  autoContrast: true,
  luminanceThreshold: 0.35,
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif',
  fontFamilyMonospace: 'ui-monospace, "SF Mono", Menlo, Consolas, monospace',
  headings: { fontWeight: '600', sizes: { h1: { fontSize: '1.5rem' }, h2: { fontSize: '1.125rem' } } },
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    // Dropdowns above a dialog must scroll.
    Modal: { defaultProps: { closeButtonProps: { 'aria-label': 'Close' }, removeScrollProps: { noIsolation: true } } },
    // A second header element would be a second banner landmark.
    ModalHeader: { defaultProps: { role: 'presentation' } },
  },
});

/** Text colours on a light background of the same hue. */
const inkOf = {
  green: '#1b5e2a',
  yellow: '#6b4700',
  orange: '#8a3300',
  blue: '#10508c',
  red: '#a01818',
  gray: '#3a4048',
};
const inks = Object.fromEntries(
  Object.entries(inkOf).map(([colour, ink]) => [`--mantine-color-${colour}-light-color`, ink]),
);

/** Dimmed and error text needs a contrast of at least 4.5 on every background. */
export const variablesOf: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    ...inks,
    '--mantine-color-dimmed': '#5b6470',
    '--mantine-color-error': '#c21f1f',
    '--console-ground': '#f6f7f9',
    '--console-line': '#e3e6ea',
    '--console-hover': '#f4f6f8',
  },
  dark: {
    '--mantine-color-dimmed': '#a6adb8',
    '--mantine-color-error': '#ff8787',
    '--mantine-color-anchor': accent[3],
    '--console-ground': '#1a1c20',
    '--console-line': '#34373d',
    '--console-hover': '#26292e',
  },
});
