import { useEffect, useRef } from 'preact/hooks';

export type KeyMap = Readonly<Record<string, () => void>>;

/** Keys that may be held down. */
const REPEATED = ['j', 'k', 'n', 'p'];

/** Keys that do something while a view is shown; not while the user types, nor while a dialog is open. */
export function useKeys(keys: KeyMap): void {
  // Set while rendering: a key pressed right after another one must not meet what was there before that.
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.repeat && !REPEATED.includes(event.key)) return;
      if (isTyping(event.target) || document.querySelector('dialog[open]') !== null) return;
      const work = Object.hasOwn(latest.current, event.key) ? latest.current[event.key] : undefined;
      if (work === undefined) return;
      event.preventDefault();
      work();
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, []);
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName);
}

/** Moves the focus among the links of a list, as `j` and `k` do. */
export function moveFocus(list: HTMLElement | null, step: 1 | -1): void {
  const links = [...(list?.querySelectorAll<HTMLElement>('a') ?? [])];
  const at = links.indexOf(document.activeElement as HTMLElement);
  const next = at === -1 ? (step === 1 ? 0 : links.length - 1) : at + step;
  links[Math.max(0, Math.min(next, links.length - 1))]?.focus();
}
