import { type CSSVariablesResolver, createTheme, type MantineColorsTuple } from '@mantine/core';

/** With which the page may write styles: the server makes a new one for each page. */
export const styleNonce = document.querySelector<HTMLMetaElement>('meta[name="style-nonce"]')?.content ?? '';

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
  primaryShade: { light: 8, dark: 5 },
  colors: { accent },
  autoContrast: true,
  luminanceThreshold: 0.35,
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif',
  fontFamilyMonospace: 'ui-monospace, "SF Mono", Menlo, Consolas, monospace',
  headings: { fontWeight: '600', sizes: { h1: { fontSize: '1.5rem' }, h2: { fontSize: '1.125rem' } } },
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
});

/** Quiet words must still be read: contrast of at least 4.5 on every ground. */
export const variablesOf: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': '#5b6470',
    '--console-ground': '#f6f7f9',
    '--console-line': '#e3e6ea',
    '--console-alarm': '#c92a2a',
  },
  dark: {
    '--mantine-color-dimmed': '#a6adb8',
    '--console-ground': '#1a1c20',
    '--console-line': '#34373d',
    '--console-alarm': '#ff8787',
  },
});
