/** Whether what happens now is the second click of a double-click: the person meant it before the answer to the first one was to be seen. */
let isOfDoubleClick = false;

addEventListener(
  'click',
  ({ detail }) => {
    isOfDoubleClick = detail > 1;
    // After the handlers of this click, and of the form that it sends.
    if (isOfDoubleClick)
      setTimeout(() => {
        isOfDoubleClick = false;
      });
  },
  { capture: true, passive: true },
);

export function isSecondClick(): boolean {
  return isOfDoubleClick;
}
