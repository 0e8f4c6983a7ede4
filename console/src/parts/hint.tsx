/** The tooltip of the page. One for each of a hundred times and ids would take most of the time until a list is there. */
import { Tooltip } from '@mantine/core';
import { useEffect, useState } from 'react';

/** The attribute that holds the text of an element's tooltip. */
export function hint(text: string): { readonly 'data-hint': string } {
  return { 'data-hint': text };
}

/** Shows the hint of the element that the pointer or the focus is on. Stands once in the page. */
export function Hints() {
  const [target, setTarget] = useState<HTMLElement>();
  useEffect(() => {
    const look = ({ target: at }: Event) =>
      setTarget((at instanceof Element && at.closest<HTMLElement>('[data-hint]')) || undefined);
    const hide = () => setTarget(undefined);
    const hideByKey = ({ key }: KeyboardEvent) => key === 'Escape' && hide();
    document.addEventListener('pointerover', look);
    document.addEventListener('focusin', look);
    document.addEventListener('focusout', hide);
    document.addEventListener('keydown', hideByKey);
    return () => {
      document.removeEventListener('pointerover', look);
      document.removeEventListener('focusin', look);
      document.removeEventListener('focusout', hide);
      document.removeEventListener('keydown', hideByKey);
    };
  }, []);
  return target && <Hint target={target} key={target.dataset.hint} />;
}

function Hint({ target }: { readonly target: HTMLElement }) {
  const [text, setText] = useState(target.dataset.hint);
  // Such as that of an id, which is copied by a click.
  useEffect(() => {
    const observer = new MutationObserver(() => setText(target.dataset.hint));
    observer.observe(target, { attributes: true, attributeFilter: ['data-hint'] });
    return () => observer.disconnect();
  }, [target]);
  return <Tooltip target={target} label={<bdi>{text}</bdi>} opened={text !== undefined && target.isConnected} />;
}
