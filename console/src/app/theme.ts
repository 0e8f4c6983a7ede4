/** Colours and type of the console. Every pair of text and background that it makes has a contrast of 4.5 at least, in both themes. */
import { alpha, type CSSVariablesResolver, createTheme, type MantineColorsTuple } from '@mantine/core';
import type { MouseEvent } from 'react';

const forest: MantineColorsTuple = [
  '#e9f7f1',
  '#d3ede1',
  '#a6dbc5',
  '#75c8a6',
  '#4bb88c',
  '#2fa77b',
  '#148560',
  '#0b6b4f',
  '#08563f',
  '#053f2e',
];

/** The system's own fonts: nothing is fetched, and Arabic is drawn by a font that was made for it. */
const FONTS = 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Noto Sans Arabic", "Geeza Pro", Tahoma, sans-serif';

/** Selects the text of a field that is searched. A read-only field is not typed into. */
const selectTyped = ({ currentTarget }: MouseEvent<HTMLInputElement>) => {
  if (!currentTarget.readOnly) currentTarget.select();
};

export const theme = createTheme({
  colors: { forest },
  primaryColor: 'forest',
  primaryShade: { light: 7, dark: 7 },
  autoContrast: true,
  fontFamily: FONTS,
  fontFamilyMonospace: 'ui-monospace, "SF Mono", "Cascadia Mono", "DejaVu Sans Mono", Menlo, monospace',
  headings: { fontFamily: FONTS, fontWeight: '650', sizes: { h1: { fontSize: '1.5rem' }, h2: { fontSize: '1.0625rem' } } },
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    // What helps with a field stands below it, so that fields beside each other are on one line.
    InputWrapper: { defaultProps: { inputWrapperOrder: ['label', 'input', 'description', 'error'] } },
    Badge: { defaultProps: { variant: 'light', radius: 'sm', tt: 'none' } },
    Modal: { defaultProps: { centered: true, overlayProps: { backgroundOpacity: 0.45 } } },
    Table: { defaultProps: { verticalSpacing: 'sm', horizontalSpacing: 'sm' } },
    // What is typed replaces what was chosen.
    Select: { defaultProps: { onClick: selectTyped } },
    Paper: { defaultProps: { withBorder: true, radius: 'md' } },
  },
});

/**
 * Text of a second rank, and the text of coloured badges: darker than Mantine's on light, lighter on dark. On dark the ground of badges and
 * notices is lighter than the card on which they stand. What is disabled can be read, with a contrast of 3 at least.
 */
export const resolveVariables: CSSVariablesResolver = ({ colors }) => {
  const readable = (shade: number) =>
    Object.fromEntries(
      Object.entries(colors).flatMap(([name, shades]) =>
        name === 'dark' ? [] : [[`--mantine-color-${name}-light-color`, shades[shade] ?? '']],
      ),
    );
  const lighterThanCard = Object.fromEntries(
    Object.entries(colors).flatMap(([name, shades]) => [
      [`--mantine-color-${name}-light`, alpha(shades[4] ?? '', 0.2)],
      [`--mantine-color-${name}-light-hover`, alpha(shades[4] ?? '', 0.28)],
    ]),
  );
  return {
    variables: {},
    light: {
      ...readable(9),
      '--mantine-color-yellow-light-color': '#6b4a00',
      '--mantine-color-dimmed': '#545b63',
      '--mantine-color-placeholder': '#6b7280',
      '--mantine-color-disabled-color': '#5b626a',
      '--mantine-color-error': '#b42318',
      '--mantine-color-body': '#ffffff',
      '--console-canvas': '#f6f8f7',
      '--console-line': '#dfe5e2',
      '--console-warning': '#9a6700',
      '--mantine-color-anchor': colors['forest']?.[7] ?? '',
    },
    dark: {
      ...readable(2),
      ...lighterThanCard,
      '--mantine-color-dimmed': '#a9b1ae',
      '--mantine-color-placeholder': '#9aa3a0',
      '--mantine-color-disabled': '#262e2b',
      '--mantine-color-disabled-color': '#a3aca9',
      '--mantine-color-disabled-border': '#38423e',
      '--mantine-color-error': '#ff9b90',
      '--mantine-color-body': '#161b19',
      '--mantine-color-text': '#e3e8e6',
      '--console-canvas': '#0f1312',
      '--console-line': '#2a322f',
      '--console-warning': colors['yellow']?.[4] ?? '',
      '--mantine-color-anchor': colors['forest']?.[3] ?? '',
    },
  };
};
