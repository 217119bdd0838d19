import { signal } from '@preact/signals';

// A file of the project in the user's own editor: by the address that the editor registered with the system. The server
// starts nothing for it.

const KEY = 'teddy-editor';

/** By name: the start of an address, which a path and a line complete. */
export const EDITORS = {
  'VS Code': 'vscode://file',
  Cursor: 'cursor://file',
  VSCodium: 'vscodium://file',
  Windsurf: 'windsurf://file',
  Zed: 'zed://file',
} as const;

export type EditorName = keyof typeof EDITORS;

export const editor = signal<EditorName>(readChoice());

function readChoice(): EditorName {
  const stored = localStorage.getItem(KEY) ?? '';
  return Object.hasOwn(EDITORS, stored) ? (stored as EditorName) : 'VS Code';
}

export function chooseEditor(name: EditorName): void {
  editor.value = name;
  localStorage.setItem(KEY, name);
}

export function linkToFile(root: string, path: string, line: number): string {
  const words = `${root}/${path}`.split('/').filter((word) => word !== '');
  return `${EDITORS[editor.value]}/${words.map(encodeURIComponent).join('/')}:${line}`;
}
