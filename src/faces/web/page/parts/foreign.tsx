import type { ComponentChildren } from 'preact';
import { splitHidden } from '../../../../core/text.js';
import { asPlainLine } from './words.js';

// Text of others becomes text nodes. What a browser would not show, or would reorder, is shown by its name.

/** Text that may have several lines. */
export function Foreign({ text }: { text: string }): ComponentChildren {
  const parts = splitHidden(text);
  if (parts.length === 1 && !parts[0]!.hidden) return parts[0]!.text;
  return parts.map((part, at) => (part.hidden ? <HiddenMark key={at} name={part.text} /> : part.text));
}

/** Text that must stay on one line: a newline in it is shown as such. */
export function ForeignLine({ text }: { text: string }): ComponentChildren {
  if (!text.includes('\n')) return <Foreign text={text} />;
  return text
    .split('\n')
    .map((line, at) => [
      at > 0 ? <HiddenMark key={at} name="<U+000A>" /> : null,
      <Foreign key={`text ${at}`} text={line} />,
    ]);
}

function HiddenMark({ name }: { name: string }) {
  return <span class="hidden-mark">{name}</span>;
}

/** A path whose end stays visible where the room is small; a command or a message is one text. */
export function PathText({ path }: { path: string }) {
  const cut = /\s/.test(path) ? path.length : path.lastIndexOf('/') + 1;
  return (
    <span class={cut === path.length ? 'path one-text' : 'path'} title={asPlainLine(path)}>
      {/* An empty box has no baseline: what is beside the path would be above its own. */}
      {cut > 0 && (
        <span class="path-folder">
          <ForeignLine text={path.slice(0, cut)} />
        </span>
      )}
      <span class="path-name">
        <ForeignLine text={path.slice(cut)} />
      </span>
    </span>
  );
}
