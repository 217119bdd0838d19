import { useEffect, useRef } from 'preact/hooks';
import type { Captured } from '../../../../core/report/record.js';
import { followOutput, type OutputLine } from '../output.js';
import { Foreign } from '../parts/foreign.js';
import { VirtualList } from '../parts/virtual-list.js';
import { countNoun } from '../parts/words.js';

const LINE_HEIGHT = 19;

/** The output of a command that runs, as it arrives. */
export function RunningOutput({
  run,
  number,
  until,
}: {
  run: string;
  number: number;
  until: Captured | null;
}) {
  const { output, version } = followOutput(run, number);
  const lines = output.lines;
  // The lines are changed in place.
  void version.value;
  const shown = lines.length === 0 && until !== null ? linesOf(until.text) : lines;
  return (
    <OutputBox
      title="Output"
      lines={shown}
      follow
      note={output.dropped === 0 ? null : `${countNoun(output.dropped, 'earlier line')} not kept here.`}
    />
  );
}

/** The output of a command that ended. */
export function CapturedOutput({ title, captured }: { title: string; captured: Captured }) {
  const { whole } = captured;
  const note =
    whole === undefined
      ? null
      : `Shortened: all ${countNoun(whole.lines, 'line')} are in ${whole.file ?? 'no file that could be kept'}.`;
  return <OutputBox title={title} lines={linesOf(captured.text)} note={note} />;
}

interface OutputBoxProps {
  title: string;
  lines: readonly OutputLine[];
  note: string | null;
  follow?: boolean;
}

function OutputBox({ title, lines, note, follow = false }: OutputBoxProps) {
  const source = useRef({});
  const box = useRef<HTMLElement>(null);
  // The newest line is the last one.
  useEffect(() => {
    if (follow) box.current!.scrollIntoView({ block: 'end' });
  }, []);
  return (
    <section class={follow ? 'output live' : 'output'} aria-label={title} ref={box}>
      <header>
        <h3>{title}</h3>
        <span class="muted">{lines.length === 0 ? 'nothing yet' : countNoun(lines.length, 'line')}</span>
      </header>
      {note !== null && (
        <p class="muted">
          <Foreign text={note} />
        </p>
      )}
      <div
        class="scroller output-lines"
        tabIndex={0}
        role="log"
        aria-label={`${title} of the command`}
        aria-live="off"
      >
        <VirtualList
          count={lines.length}
          source={source.current}
          follow={follow}
          estimate={() => LINE_HEIGHT}
          render={(row) => (
            <div class={`output-line ${lines[row]!.stream}`}>
              <Foreign text={lines[row]!.text} />
              {lines[row]!.text === '' && '\u200b'}
            </div>
          )}
        />
      </div>
    </section>
  );
}

function linesOf(text: string): OutputLine[] {
  return text
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => ({ text: line, stream: 'stdout' }));
}
