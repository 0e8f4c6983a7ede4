/** The console's own icons: strokes on a grid of 24, in the colour of the text. What points along the line turns round in Arabic. */

const PATHS = {
  home: 'M4 11l8-7 8 7M6 9.500V20h12V9.500M10 20v-6h4v6',
  search: 'M11 4a7 7 0 1 1 0 14a7 7 0 0 1 0-14zM20 20l-4-4',
  inbox: 'M4 13l3-8h10l3 8v6H4zM4 13h5l1 2h4l1-2h5',
  scales: 'M12 4v16M8 20h8M5 7h14M5 7l-3 7h6zM19 7l-3 7h6z',
  leaf: 'M5 19c0-9 5-14 15-14 0 10-5 14-11 14-2 0-3-1-3-3 0-4 4-6 8-7',
  webhook:
    'M6 15a3 3 0 1 0 3 3h7M9.500 9.500L6.500 15M12 3a3 3 0 0 0-2.500 6.500M13.500 8l4 6.500M18 21a3 3 0 1 0-1-5.800M14.500 7.500A3 3 0 0 0 12 3',
  people:
    'M9 5a3 3 0 1 1 0 6a3 3 0 0 1 0-6zM3 20c0-4 2.500-6 6-6s6 2 6 6M16 5.500a3 3 0 0 1 0 5.500M18 14.500c2 .8 3 2.700 3 5.500',
  building: 'M5 21V4h9v17M14 10h5v11M3 21h18M8 8h3M8 12h3M8 16h3',
  book: 'M5 4h13v16H6.500A1.500 1.500 0 0 1 5 18.500zM5 18.500A1.500 1.500 0 0 1 6.500 17H18',
  clock: 'M12 4a8 8 0 1 1 0 16a8 8 0 0 1 0-16zM12 8v4l3 2',
  shield: 'M12 3l7 3v5c0 5-3 8-7 10-4-2-7-5-7-10V6zM9 12l2 2 4-4',
  check: 'M5 12.500l4.500 4.500L19 7.500',
  cross: 'M6 6l12 12M18 6L6 18',
  alert: 'M12 4l9 16H3zM12 10v4M12 17v.5',
  lock: 'M6 11h12v9H6zM9 11V8a3 3 0 0 1 6 0v3',
  copy: 'M9 9h11v11H9zM15 9V4H4v11h5',
  chevron: 'M9 6l6 6-6 6',
  external: 'M14 5h5v5M19 5l-8 8M11 6H5v13h13v-6',
  menu: 'M4 7h16M4 12h16M4 17h16',
  sun: 'M12 8a4 4 0 1 1 0 8a4 4 0 0 1 0-8zM12 3v1.500M12 19.500V21M3 12h1.500M19.500 12H21M5.600 5.600l1 1M17.400 17.400l1 1M5.600 18.400l1-1M17.400 6.600l1-1',
  moon: 'M19 14.500A7.500 7.500 0 1 1 9.500 5a6 6 0 0 0 9.500 9.500z',
  download: 'M12 4v11M7.500 11L12 15.500 16.500 11M5 20h14',
  upload: 'M12 16V5M7.500 9.500L12 5l4.500 4.500M5 20h14',
  signOut: 'M10 5H5v14h5M14 8l4 4-4 4M18 12H9',
  pulse: 'M3 12h4l3-7 4 14 3-7h4',
  list: 'M8 7h12M8 12h12M8 17h12M4 7h.5M4 12h.5M4 17h.5',
  coins:
    'M9 5c3 0 5.500 1 5.500 2.500S12 10 9 10 3.500 9 3.500 7.500 6 5 9 5zM3.500 7.500v4C3.500 13 6 14 9 14M3.500 11.500v4C3.500 17 6 18 9 18M15 11c3 0 5.500 1 5.500 2.500S18 16 15 16s-5.500-1-5.500-2.500S12 11 15 11zM9.500 13.500v4C9.500 19 12 20 15 20s5.500-1 5.500-2.500v-4',
  compare: 'M4 5h6v14H4zM14 5h6v14h-6M7 9h.5M7 12h.5M7 15h.5M17 9h.5M17 12h.5M17 15h.5',
  plus: 'M12 5v14M5 12h14',
  key: 'M8 11a4 4 0 1 1 0 8a4 4 0 0 1 0-8zM11 12l8.500-8.500M16 7l3 3',
  up: 'M12 19V6M6.500 11.500L12 6l5.500 5.500',
  down: 'M12 5v13M6.500 12.500L12 18l5.500-5.500',
  play: 'M8 5l11 7-11 7z',
} as const;

export type IconName = keyof typeof PATHS;

const TURNED: readonly IconName[] = ['chevron', 'signOut', 'external', 'list', 'play'];

export function Icon({ name, size = 18 }: { readonly name: IconName; readonly size?: number }) {
  return (
    <svg
      className={TURNED.includes(name) ? 'turned-in-arabic' : undefined}
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth={1.7}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable={false}
      // As large beside a label of two lines as beside a short one.
      style={{ flex: 'none' }}
    >
      <path d={PATHS[name]} />
    </svg>
  );
}
