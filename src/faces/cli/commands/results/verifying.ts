import { onSignals, writeError } from '../../../../node/terminal/terminal.js';
import type { TaskRef } from '../../../../tasks/types.js';
import type { Paint } from '../../paint.js';
import { visible, visibleLine } from '../../visible.js';

/** A command that verifies a claim, as a person sees it. From when it begins a signal stops it, and teddy not before it. */
export class Verifying {
  private readonly interruption = new AbortController();
  private stopListening: (() => void) | undefined;

  /** `approve` is asked before the command runs; without it, the command was approved before. */
  constructor(
    private readonly paint: Paint,
    private readonly approve?: (task: TaskRef, command: string) => Promise<void>,
  ) {}

  readonly options = {
    signal: this.interruption.signal,
    onVerify: async (task: TaskRef, command: string): Promise<void> => {
      await this.approve?.(task, command);
      this.stopListening ??= onSignals(() => this.interruption.abort());
      tellOfVerify(task, command, this.paint);
    },
    onOutput: (_: string, output: string): void => writeError(visible(output)),
  };

  get interrupted(): boolean {
    return this.interruption.signal.aborted;
  }

  end(): void {
    this.stopListening?.();
  }
}

function tellOfVerify({ id }: TaskRef, command: string, paint: Paint): void {
  const [first = '', ...more] = visible(command).split('\n');
  const lines = [first, ...more.map((line) => `         ${line}`)].join('\n');
  writeError(`${paint('dim', `Verifying ${visibleLine(id)}.`)}\nRunning: ${paint('bold', lines)}\n`);
}
