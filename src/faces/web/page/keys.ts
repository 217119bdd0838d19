import { signal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';

/** Every key of the page and what it does: the help shows this list, and a key that is not in it cannot be used. */
export const SHORTCUTS = [
  { keys: ['j', 'k'], does: 'next and previous action, task, or line of a list' },
  { keys: ['n', 'p'], does: 'next and previous change in the diff' },
  { keys: ['a'], does: 'approve; in a message to you: reply' },
  { keys: ['A'], does: 'approve the rest: shows the list first' },
  { keys: ['s'], does: 'skip: type a reason, then Enter' },
  { keys: ['e'], does: 'edit the result or the action' },
  { keys: ['c'], does: 'write: a comment on the current change, a message, an instruction' },
  { keys: ['C'], does: 'comment on the whole action' },
  { keys: ['x'], does: 'keep or drop the current change' },
  { keys: ['y'], does: 'say why the current change is dropped' },
  { keys: ['m'], does: 'more lines around the current change' },
  { keys: ['w'], does: 'changes only, or the whole file' },
  { keys: ['d'], does: 'unified or side by side' },
  { keys: ['/'], does: 'search in the diff; Enter and Shift+Enter go to the next and previous match' },
  { keys: ['v'], does: 'mark the action as viewed' },
  { keys: ['r'], does: 'rationale of the plan' },
  { keys: ['u'], does: 'undo the run: shows first what it restores' },
  { keys: ['b', 'g', 't'], does: 'tasks as a board, a graph, a timeline' },
  { keys: ['1', '2', '3', '4', '5'], does: 'Inbox, Runs, Sessions, Tasks, Metrics' },
  { keys: ['Escape'], does: 'leave a text box; close a dialog or a task' },
  { keys: ['?'], does: 'this help' },
] as const;

/** Keys of text boxes. */
export const BOX_KEYS = [
  { keys: ['Ctrl+Enter'], does: 'send a message or a reply, add a comment' },
  { keys: ['Alt+↑', 'Alt+↓'], does: 'move the comment to another line' },
] as const;

type Shortcut = (typeof SHORTCUTS)[number]['keys'][number];
export type KeyMap = Readonly<Partial<Record<Shortcut, () => void>>>;

/** Keys that may be held down. */
const REPEATED = ['j', 'k', 'n', 'p', 'm'];

/**
 * Keys that do something while a view is shown; not while the user types, nor while a dialog is open. Those in `boxes`
 * lead to a text box.
 */
export function useKeys(keys: KeyMap, boxes: KeyMap = {}): void {
  // Set while rendering: a key pressed right after another one must not meet what was there before that.
  const latest = useRef({ keys, boxes });
  latest.current = { keys, boxes };
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.repeat && !REPEATED.includes(event.key)) return;
      if (isTyping(event.target) || document.querySelector('dialog[open]') !== null) return;
      const work = workOf(latest.current.keys, event.key);
      const open = workOf(latest.current.boxes, event.key);
      if (work === undefined && open === undefined) return;
      event.preventDefault();
      work?.();
      if (open !== undefined) openBox(open);
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, []);
}

function workOf(keys: KeyMap, key: string): (() => void) | undefined {
  return Object.hasOwn(keys, key) ? keys[key as Shortcut] : undefined;
}

// What is typed for a text box is never a shortcut: neither before the box has the focus, because it is drawn or loaded
// first, nor after the box was taken away, because another face answered.

let isOpening = false;
/** What was typed while a box was opening: the box gets it with the focus. */
let typedAhead = '';
/** The box that the last character went to. */
let typedInto: HTMLElement | null = null;

/** A character has no box for that reason: Escape ends it. */
export const areKeysPaused = signal(false);

/** Opens a text box. Until one has the focus, no character is a shortcut. */
export function openBox(open: () => void): void {
  isOpening = true;
  typedAhead = '';
  open();
}

function resumeKeys(): void {
  isOpening = false;
  typedAhead = '';
  typedInto = null;
  areKeysPaused.value = false;
}

/** Before any shortcut sees a key, for as long as the page is open. */
export function watchTyping(): void {
  document.addEventListener('keydown', guardKey, true);
  document.addEventListener('pointerdown', resumeKeys, true);
  document.addEventListener('focusin', ({ target }) => {
    if (isOpening && !isTyping(target)) return;
    const text = typedAhead;
    resumeKeys();
    // Not into the editor of a file: nothing gets into a file that its text was not shown for.
    if (text !== '' && isTextBox(target)) document.execCommand('insertText', false, text);
  });
}

function guardKey(event: KeyboardEvent): void {
  const { target, key } = event;
  if (isTyping(target)) {
    typedInto = endsTyping(event) ? null : (target as HTMLElement);
    return;
  }
  const isBoxGone = typedInto !== null && (!typedInto.isConnected || typedInto.matches(':disabled'));
  if (!isOpening && !isBoxGone) return;
  if (key === 'Escape' || key === 'Tab') {
    resumeKeys();
    return;
  }
  if (key.length > 1 || event.ctrlKey || event.metaKey) return;
  if (isOpening) typedAhead += key;
  areKeysPaused.value = true;
  event.preventDefault();
  event.stopImmediatePropagation();
}

/** The user is done with the box, and expects it to close. */
function endsTyping({ key, target, ctrlKey, metaKey }: KeyboardEvent): boolean {
  if (key === 'Escape' || key === 'Tab') return true;
  return key === 'Enter' && (ctrlKey || metaKey || target instanceof HTMLInputElement);
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || target.tagName === 'SELECT' || isTextBox(target);
}

function isTextBox(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && ['INPUT', 'TEXTAREA'].includes(target.tagName);
}

/** Moves the focus among the links of a list, as `j` and `k` do. */
export function moveFocus(list: HTMLElement | null, step: 1 | -1): void {
  const links = [...(list?.querySelectorAll<HTMLElement>('a, summary') ?? [])];
  const at = links.indexOf(document.activeElement as HTMLElement);
  const next = at === -1 ? (step === 1 ? 0 : links.length - 1) : at + step;
  links[Math.max(0, Math.min(next, links.length - 1))]?.focus();
}
