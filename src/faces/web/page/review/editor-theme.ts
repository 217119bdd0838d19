import { EditorView } from '@codemirror/view';

/** The page's colours and fonts. Its style element carries the page's nonce. */
export const editorTheme = EditorView.theme({
  '&': { backgroundColor: 'var(--panel)', color: 'var(--ink)', fontSize: '12.5px' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '20px' },
  '.cm-gutters': { backgroundColor: 'var(--sunken)', color: 'var(--muted)', border: 'none' },
  '.cm-content': { caretColor: 'var(--ink)' },
  '&.cm-merge-a .cm-changedLine, .cm-deletedChunk': { backgroundColor: 'var(--del-line)' },
  '&.cm-merge-b .cm-changedLine': { backgroundColor: 'var(--add-line)' },
  '&.cm-merge-a .cm-changedText': { background: 'var(--del-part)' },
  '&.cm-merge-b .cm-changedText': { background: 'var(--add-part)' },
  '.cm-collapsedLines': {
    background: 'var(--sunken)',
    color: 'var(--muted)',
    padding: '4px 8px',
  },
});
