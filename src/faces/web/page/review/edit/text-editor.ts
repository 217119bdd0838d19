import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { MergeView } from '@codemirror/merge';
import { ChangeSet, EditorState, type Extension, Text } from '@codemirror/state';
import {
  Decoration,
  type DecorationSet,
  EditorView,
  keymap,
  lineNumbers,
  MatchDecorator,
  ViewPlugin,
  type ViewUpdate,
  WidgetType,
} from '@codemirror/view';
import { SyntaxReader } from '../../../../../core/syntax.js';
import { codePointName, hiddenPattern } from '../../../../../core/text.js';
import { applyToOriginal, editorLines } from './original-changes.js';

export interface TextEditor {
  close(): void;
}

export interface EditedText {
  path: string;
  /** What it is compared with while it is edited; null: nothing. */
  original: string | null;
  text: string;
  /** An earlier edit of the text that was not sent. */
  draft: string | null;
  onChange(text: string | null): void;
}

/** Below this width there is no room for the file as it is now. */
const COMPARE_FROM = 760;

/** An editor for a text; beside it, where there is room, the file as it is now. */
export function openTextEditor(parent: HTMLElement, edited: EditedText): TextEditor {
  const base = edited.draft ?? edited.text;
  const doc = Text.of(editorLines(base));
  let changes = ChangeSet.empty(doc.length);
  const listener = EditorView.updateListener.of((update) => {
    if (!update.docChanged) return;
    changes = changes.compose(update.changes);
    const text = applyToOriginal(base, changes);
    edited.onChange(text === edited.text ? null : text);
  });
  const shared = sharedExtensions(edited.path);
  const editable = [...shared, history(), keymap.of([...defaultKeymap, ...historyKeymap]), listener];
  if (edited.original === null || parent.clientWidth < COMPARE_FROM) {
    const view = new EditorView({ parent, doc, extensions: [...editable, label('The text')] });
    view.focus();
    return { close: () => view.destroy() };
  }
  const merge = new MergeView({
    parent,
    a: {
      doc: Text.of(editorLines(edited.original)),
      extensions: [...shared, EditorState.readOnly.of(true), label('The file now')],
    },
    b: { doc, extensions: [...editable, label('The resulting file')] },
    revertControls: 'a-to-b',
    collapseUnchanged: { margin: 3, minSize: 6 },
    gutter: true,
  });
  merge.b.focus();
  return { close: () => merge.destroy() };
}

function label(name: string): Extension {
  return EditorView.contentAttributes.of({ 'aria-label': name });
}

function sharedExtensions(path: string): Extension[] {
  const { nonce } = document.querySelector<HTMLLinkElement>('link[rel=stylesheet]')!;
  return [
    EditorView.cspNonce.of(nonce),
    EditorView.lineWrapping,
    lineNumbers(),
    hiddenCharacters,
    syntaxColours(path),
    editorTheme,
  ];
}

class HiddenCharacter extends WidgetType {
  constructor(readonly name: string) {
    super();
  }

  override eq(other: HiddenCharacter): boolean {
    return other.name === this.name;
  }

  toDOM(): HTMLElement {
    const mark = document.createElement('span');
    mark.className = 'hidden-mark';
    mark.textContent = this.name;
    return mark;
  }
}

const hiddenMatcher = new MatchDecorator({
  regexp: hiddenPattern('gu'),
  decoration: ([character]) =>
    Decoration.replace({ widget: new HiddenCharacter(`<${codePointName(character)}>`) }),
});

/** The same characters as everywhere, shown by their names. */
const hiddenCharacters = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;

    constructor(view: EditorView) {
      this.decorations = hiddenMatcher.createDeco(view);
    }

    update(update: ViewUpdate): void {
      this.decorations = hiddenMatcher.updateDeco(update, this.decorations);
    }
  },
  { decorations: ({ decorations }) => decorations },
);

/** Lines above the visible ones that are read for comments of several lines. */
const LINES_ABOVE = 200;

function syntaxColours(path: string): Extension {
  const paint = (view: EditorView): DecorationSet => {
    const marks = view.visibleRanges.flatMap(({ from, to }) => {
      const { doc } = view.state;
      const reader = new SyntaxReader(path);
      const first = doc.lineAt(from).number;
      const found = [];
      for (let number = Math.max(1, first - LINES_ABOVE); number <= doc.lineAt(to).number; number++) {
        const line = doc.line(number);
        const tokens = reader.readLine(line.text);
        if (number < first) continue;
        for (const token of tokens)
          found.push(
            Decoration.mark({ class: `syntax-${token.kind}` }).range(
              line.from + token.from,
              line.from + token.to,
            ),
          );
      }
      return found;
    });
    return Decoration.set(marks);
  };
  return ViewPlugin.fromClass(
    class {
      decorations: DecorationSet;

      constructor(view: EditorView) {
        this.decorations = paint(view);
      }

      update(update: ViewUpdate): void {
        if (update.docChanged || update.viewportChanged) this.decorations = paint(update.view);
      }
    },
    { decorations: ({ decorations }) => decorations },
  );
}

/** The page's colours and fonts. Its style element carries the page's nonce. */
const editorTheme = EditorView.theme({
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
