import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { QuestionDraft } from '../../drafts.js';
import { useKeys } from '../../keys.js';
import { LineCounts, Segments } from '../../parts/controls.js';
import { Icon } from '../../parts/icons.js';
import { useColumns } from '../../parts/use-columns.js';
import { type ListHandle, VirtualList } from '../../parts/virtual-list.js';
import { asPlainLine, countNoun } from '../../parts/words.js';
import { CommentItem, openComment } from './comments.js';
import {
  type DiffItem,
  type DiffModel,
  findMatches,
  LONGEST_ROW,
  layOutDiff,
  type Match,
  rowsAround,
} from './diff-model.js';
import { DiffPair, DiffRowLine } from './diff-row.js';
import { HunkLine } from './hunk-choice.js';

interface DiffViewProps {
  path: string;
  isNew: boolean;
  model: DiffModel;
  /** Of the open question; undefined where there is nothing to decide. */
  draft?: QuestionDraft | undefined;
}

type Range = readonly [from: number, to: number];

const LINE_HEIGHT = 20;
const OTHER_HEIGHT = 38;
/** Below this width there is no room for two sides. */
const SPLIT_FROM = 760;

/** How the user last looked at diffs. */
const preferences = { split: false, whole: false };

export function DiffView({ path, isNew, model, draft }: DiffViewProps) {
  const frame = useRef<HTMLElement>(null);
  const handle = useRef<ListHandle>(null);
  const { columns, width } = useColumns(frame);
  const [split, setSplit] = useState(preferences.split);
  const [whole, setWhole] = useState(preferences.whole);
  const [opened, setOpened] = useState<readonly Range[]>([]);
  const [hunk, setHunk] = useState(0);
  const search = useSearch(model);
  /** Whether the user last went to a match, and not to a change. */
  const isAtMatch = useRef(false);
  const [commentOpenings, setCommentOpenings] = useState(0);

  const canSplit = !isNew && width >= SPLIT_FROM && model.longest <= LONGEST_ROW;
  const state = draft?.state.value;
  const commented = useMemo(
    () => new Set([...(state?.comments ?? []), state?.comment ?? null].flatMap((one) => one?.line ?? [])),
    [state?.comments, state?.comment?.line],
  );
  const layout = {
    split: split && canSplit,
    whole,
    opened: useMemo(() => [...opened, ...search.rows], [opened, search.rows]),
    choices: draft !== undefined && model.hunks.length > 1,
    commented,
  };
  const items = useMemo(
    () => layOutDiff(model, layout),
    [model, layout.split, whole, layout.opened, layout.choices, commented],
  );
  const source = useMemo(() => ({}), [items, columns]);

  const goToHunk = (next: number) => {
    const at = Math.max(0, Math.min(next, model.hunks.length - 1));
    setHunk(at);
    isAtMatch.current = false;
    const item = items.findIndex((one) => startsHunk(one, model, at));
    if (item !== -1) handle.current?.reveal(item, 'start');
  };
  const changeSplit = () => {
    preferences.split = !split;
    setSplit(!split);
  };
  const changeWhole = () => {
    preferences.whole = !whole;
    setWhole(!whole);
  };
  useEffect(() => {
    const match = search.current;
    if (match === undefined) return;
    isAtMatch.current = true;
    const item = items.findIndex((one) => showsMatch(one, match));
    if (item !== -1) handle.current?.reveal(item, 'start');
  }, [search.current]);

  // The line may be far from what is shown.
  useLayoutEffect(() => {
    const line = state?.comment?.line;
    const item = items.findIndex((one) => one.kind === 'comment' && one.line === line);
    if (item !== -1 && !draft!.isRestored) handle.current?.reveal(item, 'nearest');
  }, [state?.comment?.line, commentOpenings]);

  const focusIn = (selector: string) => frame.current?.querySelector<HTMLElement>(selector)?.focus();
  const focusDropReason = () => {
    goToHunk(hunk);
    // What was revealed is there in the next frame.
    requestAnimationFrame(() => focusIn('.hunk-choice.current-hunk input'));
  };
  const comment = () => {
    const match = isAtMatch.current ? search.current : undefined;
    const line = match === undefined ? null : model.rows[match.row]!.after;
    openComment(draft!, line ?? lineOfHunk(model, hunk));
    setCommentOpenings(commentOpenings + 1);
  };
  const isDropped = layout.choices && model.hunks[hunk]!.id in state!.dropped;
  useKeys(
    {
      n: () => goToHunk(hunk + 1),
      p: () => goToHunk(hunk - 1),
      m: () => setOpened([...opened, ...rowsAround(model, items, hunk, STEP)]),
      ...(isNew ? {} : { w: changeWhole }),
      ...(canSplit ? { d: changeSplit } : {}),
      ...(layout.choices ? { x: () => toggleHunk(draft!, model.hunks[hunk]!.id) } : {}),
    },
    {
      '/': () => focusIn('input[type=search]'),
      ...(draft === undefined ? {} : { c: comment }),
      ...(isDropped ? { y: focusDropReason } : {}),
    },
  );

  return (
    <section class="diff" ref={frame} aria-label={`Changes to ${asPlainLine(path)}`}>
      <div class="diff-tools">
        <LineCounts added={model.added} removed={model.removed} />
        {model.crlf && <span class="muted">CRLF line endings</span>}
        <div class="diff-search">
          <Icon name="search" />
          <input
            type="search"
            aria-label="Search in the diff"
            placeholder="Search"
            value={search.text}
            onInput={(event) => search.start(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key === 'Enter') search.step(event.shiftKey ? -1 : 1);
              if (event.key === 'Escape') event.currentTarget.blur();
            }}
          />
          {search.text !== '' && <span class="muted matches">{search.summary}</span>}
        </div>
        {!isNew && (
          <Segments
            label="Rows"
            value={whole ? 'whole' : 'changes'}
            options={[
              { value: 'changes', label: 'Changes' },
              { value: 'whole', label: 'Whole file' },
            ]}
            onChange={changeWhole}
          />
        )}
        {canSplit && (
          <Segments
            label="Layout"
            value={split ? 'split' : 'unified'}
            options={[
              { value: 'unified', label: 'Unified' },
              { value: 'split', label: 'Side by side' },
            ]}
            onChange={changeSplit}
          />
        )}
      </div>
      <VirtualList
        class={`diff-rows ${isNew ? 'new-file' : ''}`}
        handle={handle}
        count={items.length}
        source={source}
        estimate={(at) => estimateHeight(items[at]!, model, columns)}
        keyOf={(at) => keyOf(items[at]!)}
        render={(at) => (
          <Item
            item={items[at]!}
            model={model}
            search={search}
            draft={draft}
            currentHunk={hunk}
            onOpen={(range) => setOpened([...opened, range])}
            onHunk={setHunk}
          />
        )}
      />
    </section>
  );
}

interface ItemProps {
  item: DiffItem;
  model: DiffModel;
  search: Search;
  draft: QuestionDraft | undefined;
  currentHunk: number;
  onOpen(range: Range): void;
  onHunk(hunk: number): void;
}

function Item({ item, model, search, draft, currentHunk, onOpen, onHunk }: ItemProps) {
  const comment = draft === undefined ? undefined : (line: number) => openComment(draft, line);
  const isDropped = (row: number | null) => {
    const hunk = row === null ? null : model.rows[row]!.hunk;
    return hunk !== null && draft !== undefined && model.hunks[hunk]!.id in draft.state.value.dropped;
  };
  switch (item.kind) {
    case 'row':
      return (
        <DiffRowLine
          model={model}
          row={item.row}
          from={item.from}
          to={item.to}
          isDropped={isDropped(item.row)}
          isCurrent={model.rows[item.row]!.hunk === currentHunk}
          matchesOf={search.matchesOf}
          onComment={comment}
        />
      );
    case 'pair':
      return (
        <DiffPair
          model={model}
          left={item.left}
          right={item.right}
          isDropped={isDropped(item.left) || isDropped(item.right)}
          isCurrent={[item.left, item.right].some(
            (row) => row !== null && model.rows[row]!.hunk === currentHunk,
          )}
          matchesOf={search.matchesOf}
          onComment={comment}
        />
      );
    case 'gap':
      return <Gap from={item.from} to={item.to} last={item.to === model.rows.length} onOpen={onOpen} />;
    case 'hunk':
      return (
        <HunkLine
          number={item.hunk}
          total={model.hunks.length}
          id={model.hunks[item.hunk]!.id}
          draft={draft!}
          isCurrent={item.hunk === currentHunk}
          onSelect={() => onHunk(item.hunk)}
        />
      );
    case 'note':
      return <div class="diff-note">({item.text})</div>;
    case 'comment':
      return draft === undefined ? null : (
        <CommentItem draft={draft} line={item.line} lastLine={model.lines} />
      );
  }
}

const STEP = 20;

function Gap({
  from,
  to,
  last,
  onOpen,
}: {
  from: number;
  to: number;
  last: boolean;
  onOpen(range: Range): void;
}) {
  const count = to - from;
  return (
    <div class="diff-gap">
      <button type="button" onClick={() => onOpen([from, to])}>
        Show {countNoun(count, 'unchanged line')}
      </button>
      {count > 2 * STEP && from > 0 && (
        <button type="button" onClick={() => onOpen([from, from + STEP])}>
          <Icon name="down" />
          {STEP} more below
        </button>
      )}
      {count > 2 * STEP && !last && (
        <button type="button" onClick={() => onOpen([to - STEP, to])}>
          <Icon name="up" />
          {STEP} more above
        </button>
      )}
    </div>
  );
}

function startsHunk(item: DiffItem, { rows }: DiffModel, hunk: number): boolean {
  if (item.kind === 'hunk') return item.hunk === hunk;
  if (item.kind === 'row') return rows[item.row]!.hunk === hunk;
  return (
    item.kind === 'pair' && [item.left, item.right].some((row) => row !== null && rows[row]!.hunk === hunk)
  );
}

function showsMatch(item: DiffItem, match: Match): boolean {
  if (item.kind === 'row') return item.row === match.row && match.from < item.to && match.to > item.from;
  return item.kind === 'pair' && (item.left === match.row || item.right === match.row);
}

function keyOf(item: DiffItem): string {
  if (item.kind === 'row') return `r${item.row}.${item.from}`;
  if (item.kind === 'pair') return `p${item.left}.${item.right}`;
  if (item.kind === 'gap') return `g${item.from}`;
  if (item.kind === 'hunk') return `h${item.hunk}`;
  return item.kind === 'note' ? `n${item.text}` : `c${item.line}`;
}

function estimateHeight(item: DiffItem, { rows }: DiffModel, columns: { one: number; two: number }): number {
  if (item.kind === 'row') return LINE_HEIGHT * Math.max(1, Math.ceil((item.to - item.from) / columns.one));
  if (item.kind !== 'pair') return OTHER_HEIGHT;
  const longest = Math.max(
    ...[item.left, item.right].map((row) => (row === null ? 0 : rows[row]!.text.length)),
  );
  return LINE_HEIGHT * Math.max(1, Math.ceil(longest / columns.two));
}

/** The last line of a hunk in the new text; the line before it where the hunk only removes. */
function lineOfHunk({ hunks }: DiffModel, hunk: number): number | null {
  const after = hunks[hunk]?.after;
  if (after === undefined) return null;
  return after.start + after.count === 0 ? null : after.start + after.count;
}

function toggleHunk(draft: QuestionDraft, id: string): void {
  const { [id]: reason, ...others } = draft.state.peek().dropped;
  draft.change({ dropped: reason === undefined ? { ...others, [id]: '' } : others });
}

interface Search {
  text: string;
  summary: string;
  current: Match | undefined;
  /** Rows that have a match, so that they are shown. */
  rows: readonly Range[];
  start(text: string): void;
  step(by: 1 | -1): void;
  matchesOf(row: number): { from: number; to: number; current: boolean }[];
}

function useSearch(model: DiffModel): Search {
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const matches = useMemo(() => findMatches(model, text), [model, text]);
  const rows = useMemo(() => matches.map(({ row }): Range => [row, row + 1]), [matches]);
  const current = matches[at];
  return {
    text,
    current,
    rows,
    summary: matches.length === 0 ? 'none' : `${at + 1} of ${matches.length}`,
    start: (wanted) => {
      setText(wanted);
      setAt(0);
    },
    step: (by) => setAt(matches.length === 0 ? 0 : (at + by + matches.length) % matches.length),
    matchesOf: (row) =>
      text === ''
        ? []
        : matches
            .filter((match) => match.row === row)
            .map((match) => ({ ...match, current: match === current })),
  };
}
