import type { ComponentChildren } from 'preact';

// Icons of 16 by 16, drawn with lines. They say nothing by themselves: words beside them do.

const ICONS = {
  inbox: <path d="M2 9.5h3.2l1.3 2h3l1.3-2H14M2 9.5 4 3.5h8l2 6v3a1 1 0 0 1-1 1H3a1 1 0 0 1-1-1z" />,
  runs: <path d="M5 3.2v9.6l7.6-4.8z" />,
  sessions: <path d="M2.5 3.5h11v7.5h-6l-3 2.5V11h-2z" />,
  tasks: <path d="M2.5 3h3v10h-3zM6.7 3h3v6.5h-3zM10.9 3h3v8h-3z" transform="translate(-.2 0)" />,
  metrics: <path d="M2.5 13.5h11M4 11V8m3 3V5m3 6V7m3 4V3" />,
  check: <path d="m3 8.5 3.2 3.2L13 4.8" />,
  cross: <path d="m4 4 8 8m0-8-8 8" />,
  skip: <path d="M3.5 4v8l6-4zM12 4v8" />,
  stop: <rect x="4" y="4" width="8" height="8" rx="1" />,
  pencil: <path d="m3 13 .6-2.8 7-7 2.2 2.2-7 7zM9.3 4.5l2.2 2.2" />,
  comment: <path d="M2.5 3.5h11v7h-5L5.5 13v-2.5h-3z" />,
  clock: (
    <>
      <circle cx="8" cy="8" r="5.5" />
      <path d="M8 5v3.2l2 1.3" />
    </>
  ),
  warning: <path d="M8 2.5 14 13H2zM8 6.5v3m0 1.6v.4" />,
  terminal: <path d="M2.5 3h11v10h-11zM5 6l2 2-2 2m3.5 0H11" />,
  file: <path d="M4 2h5l3 3v9H4zM9 2v3h3" />,
  added: <path d="M4 2h5l3 3v9H4zM8 6.8v4.4M5.8 9h4.4" />,
  globe: (
    <>
      <circle cx="8" cy="8" r="5.5" />
      <path d="M2.5 8h11M8 2.5c2.2 3.4 2.2 7.6 0 11-2.2-3.4-2.2-7.6 0-11" />
    </>
  ),
  bell: <path d="M4 11V7a4 4 0 0 1 8 0v4l1 1H3zM6.8 13.8h2.4" />,
  search: (
    <>
      <circle cx="7" cy="7" r="4" />
      <path d="m10 10 3.5 3.5" />
    </>
  ),
  right: <path d="m6 3.5 4.5 4.5L6 12.5" />,
  down: <path d="M3.5 6 8 10.5 12.5 6" />,
  up: <path d="M3.5 10 8 5.5l4.5 4.5" />,
  left: <path d="M10 3.5 5.5 8l4.5 4.5" />,
  eye: (
    <>
      <path d="M1.5 8c3-5.3 10-5.3 13 0-3 5.3-10 5.3-13 0" />
      <circle cx="8" cy="8" r="1.8" />
    </>
  ),
  undo: <path d="M6 3 3 6l3 3M3 6h6.5a3.5 3.5 0 0 1 0 7H6" />,
  copy: <path d="M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3" />,
  dot: <circle cx="8" cy="8" r="2.5" fill="currentColor" stroke="none" />,
  ring: <circle cx="8" cy="8" r="4" />,
  dash: <path d="M4 8h8" />,
  shield: <path d="M8 2 3 4v4c0 3 2.2 5 5 6 2.8-1 5-3 5-6V4zM8 6v2.6m0 1.5v.4" />,
  unplugged: (
    <path d="m2 2 12 12M4.5 8.5 3.4 9.6a2.1 2.1 0 0 0 3 3l1.1-1.1M8.5 4.5l1.1-1.1a2.1 2.1 0 0 1 3 3l-1.1 1.1" />
  ),
  agent: <path d="M3.5 6h9v6.5h-9zM8 6V3.2M6 8.5v1m4-1v1M2 8v2.5M14 8v2.5" />,
  question: (
    <>
      <circle cx="8" cy="8" r="5.5" />
      <path d="M6.4 6.4a1.7 1.7 0 1 1 2.4 1.5c-.5.3-.8.6-.8 1.2m0 1.6v.3" />
    </>
  ),
  send: <path d="M2.5 8 13.5 3l-3 10.5L8 9z" />,
  keyboard: <path d="M1.5 4.5h13v7h-13zM4 7h.5m2 0H7m2 0h.5m2 0h.5M5 9.3h6" />,
  external: <path d="M9 3h4v4M13 3 7.5 8.5M11.5 9v4H3V4.5h4" />,
} satisfies Record<string, ComponentChildren>;

export type IconName = keyof typeof ICONS;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg
      class="icon"
      viewBox="0 0 16 16"
      width="16"
      height="16"
      fill="none"
      stroke="currentColor"
      stroke-width="1.4"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
    >
      {ICONS[name]}
    </svg>
  );
}
