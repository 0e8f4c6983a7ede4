import { useDirection, useMantineTheme } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { Notifications } from '@mantine/notifications';

/** As wide as the menu has room beside its edges. */
const MENU_WIDTH = 212;
const SHOWN_MS = 6_000;

/**
 * What was done, where it covers nothing of a page: on a wide screen at the foot of the menu, on a narrow one over the bar at the top,
 * away from the rows and the buttons that come next.
 */
export function Toasts() {
  const { dir } = useDirection();
  const { breakpoints } = useMantineTheme();
  const isWide = useMediaQuery(`(min-width: ${breakpoints.md})`);
  if (!isWide) return <Notifications position="top-center" autoClose={SHOWN_MS} />;
  const position = dir === 'rtl' ? 'bottom-right' : 'bottom-left';
  return <Notifications position={position} containerWidth={MENU_WIDTH} autoClose={SHOWN_MS} />;
}
