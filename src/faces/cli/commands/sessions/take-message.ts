import { writeError } from '../../../../node/terminal/terminal.js';
import { UserError } from '../../../../node/user-error.js';
import type { Sessions } from '../../../../sessions/turns/sessions.js';
import type { Turn } from '../../../../sessions/turns/types.js';
import { openScreen } from '../../terminal/screen.js';
import { typeText } from '../../terminal/text-area.js';
import { visibleLine } from '../../visible.js';

/**
 * What a person wants next; null for nothing in particular. What was typed is kept with the turn, and is there again
 * the next time, until the model is told. What `mask` takes for a secret is in no file.
 */
export async function takeMessage(
  sessions: Sessions,
  turn: Turn,
  options: { color: boolean },
  mask: (text: string) => string,
): Promise<string | null | 'interrupted'> {
  const screen = openScreen(options);
  if (screen === undefined) {
    throw new UserError(
      'Nobody can be asked what comes next: there is no terminal. Say it with -m, or work with a chat: teddy context.',
    );
  }
  try {
    screen.openKeyboard();
    const { dot } = screen.look.glyphs;
    // Then there is something to plan from, also if nothing is said.
    const hasMore = turn.meta.parent !== null || turn.meta.message !== null;
    const typed = await typeText(screen, {
      title: `What comes next in ${visibleLine(turn.meta.session)}, for ${visibleLine(turn.meta.agent)}?`,
      keys: `Ctrl-D, or a line with only a dot: send${hasMore ? ', or go on without a word' : ''} ${dot} Esc: leave`,
      manyLines: true,
      text: sessions.leftMessage(turn) ?? '',
    });
    const text = mask(typed.text.trim());
    if (text !== '') await sessions.keepMessage(turn, text);
    if (typed.status === 'done' && (text !== '' || hasMore)) return text === '' ? null : text;
    if (text !== '') writeError('What you typed is kept, and is there again with the next teddy resume.\n');
    return 'interrupted';
  } finally {
    screen.close();
  }
}
