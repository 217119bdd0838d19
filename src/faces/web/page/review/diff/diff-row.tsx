import { CodeLine, NO_LOOKS } from './code-line.js';
import type { DiffModel, ModelRow } from './diff-model.js';

type Matches = (row: number) => { from: number; to: number; current: boolean }[];

interface RowProps {
  model: DiffModel;
  row: number;
  from: number;
  to: number;
  isDropped: boolean;
  isCurrent: boolean;
  matchesOf: Matches;
  onComment: ((line: number) => void) | undefined;
}

const LOOKS = { '+': 'added', '-': 'removed', ' ': '' };

export function DiffRowLine({ model, row, from, to, isDropped, isCurrent, matchesOf, onComment }: RowProps) {
  const line = model.rows[row]!;
  const continued = from > 0;
  return (
    <div
      class={`diff-row ${LOOKS[line.sign]} ${isDropped ? 'dropped' : ''} ${isCurrent ? 'current-hunk' : ''}`}
    >
      <span class="number">{continued ? '' : line.before}</span>
      <span class="number">{continued ? '' : line.after}</span>
      <CommentButton line={line} onComment={onComment} />
      <span class="sign">{continued ? '┊' : line.sign === '-' ? '−' : line.sign}</span>
      <RowCode model={model} row={row} from={from} to={to} matchesOf={matchesOf} />
    </div>
  );
}

function RowCode({
  model,
  row,
  from,
  to,
  matchesOf,
}: Pick<RowProps, 'model' | 'row' | 'matchesOf'> & { from?: number; to?: number }) {
  const { text, sign, changed } = model.rows[row]!;
  return (
    <CodeLine
      text={text}
      from={from ?? 0}
      to={to ?? text.length}
      tokens={model.tokensOf(row)}
      changed={changed}
      matches={matchesOf(row)}
      spaces={sign !== ' '}
    />
  );
}

interface CommentButtonProps {
  line: ModelRow;
  onComment: ((line: number) => void) | undefined;
}

/** For the mouse; `c` does it by keyboard. */
function CommentButton({ line, onComment }: CommentButtonProps) {
  const { after } = line;
  if (onComment === undefined || after === null) return <span />;
  return (
    <button
      type="button"
      class="comment-here"
      tabIndex={-1}
      aria-label={`Comment on line ${after}`}
      onClick={() => onComment(after)}
    >
      +
    </button>
  );
}

interface PairProps {
  model: DiffModel;
  left: number | null;
  right: number | null;
  isDropped: boolean;
  isCurrent: boolean;
  matchesOf: Matches;
  onComment: ((line: number) => void) | undefined;
}

export function DiffPair({ model, left, right, isDropped, isCurrent, matchesOf, onComment }: PairProps) {
  return (
    <div class={`diff-pair ${isDropped ? 'dropped' : ''} ${isCurrent ? 'current-hunk' : ''}`}>
      <Side model={model} row={left} side="before" matchesOf={matchesOf} onComment={undefined} />
      <Side model={model} row={right} side="after" matchesOf={matchesOf} onComment={onComment} />
    </div>
  );
}

interface SideProps {
  model: DiffModel;
  row: number | null;
  side: 'before' | 'after';
  matchesOf: Matches;
  onComment: ((line: number) => void) | undefined;
}

function Side({ model, row, side, matchesOf, onComment }: SideProps) {
  if (row === null) return <div class="diff-side absent" />;
  const line = model.rows[row]!;
  return (
    <div class={`diff-side ${LOOKS[line.sign]}`}>
      <span class="number">{line[side]}</span>
      {side === 'after' ? <CommentButton line={line} onComment={onComment} /> : <span />}
      <span class="sign">{line.sign === '-' ? '−' : line.sign}</span>
      <RowCode model={model} row={row} matchesOf={matchesOf} />
    </div>
  );
}

/** Numbered lines of a text that is not a diff. */
export function PlainLines({ text }: { text: string }) {
  const lines = text.replace(/\n$/, '').split('\n');
  return (
    <div class={lines.length === 1 ? 'plain-lines single' : 'plain-lines'}>
      {lines.map((line, at) => (
        <div class="diff-side" key={at}>
          <span class="number">{at + 1}</span>
          <span />
          <span class="sign" />
          <CodeLine text={line} {...NO_LOOKS} spaces />
        </div>
      ))}
    </div>
  );
}
