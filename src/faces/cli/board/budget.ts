import { prose } from '../terminal/line.js';
import { Panel } from '../terminal/panel.js';
import type { Screen } from '../terminal/screen.js';
import { typeText } from '../terminal/text-area.js';
import { costWords } from '../words.js';

/** Asks for a higher budget; null means stop. */
export async function askForBudget(
  screen: Screen,
  spentUsd: number,
  budgetUsd: number,
): Promise<number | null | 'ctrl-c' | 'ended'> {
  const spent = costWords({ costUsd: spentUsd });
  const panel = new Panel(screen, {
    build: () => [
      prose([
        {
          text: `The budget of ${costWords({ costUsd: budgetUsd })} is used up (${spent} spent).`,
          style: 'strong',
        },
      ]),
      prose([{ text: 'Running tasks finish. Nothing new starts until you decide.' }]),
    ],
    choices: [
      { key: 'c', label: 'continue with a higher budget' },
      { key: 's', label: 'stop', also: ['q', 'escape'] },
    ],
  });
  let text = '';
  let hint: ReturnType<typeof prose> | undefined;
  for (;;) {
    const key = await panel.ask(hint);
    hint = undefined;
    if (key === 's') return null;
    if (key !== 'c') return key === 'ended' ? 'ended' : 'ctrl-c';
    const title = `New budget in US dollars, more than ${spent.replace('$', '')}`;
    const typed = await typeText(screen, { title, text, above: panel });
    text = typed.text;
    if (typed.status === 'ended') return 'ended';
    if (typed.status === 'interrupted') return 'ctrl-c';
    const amount = /^\s*\$?(\d{1,9}(?:\.\d{1,6})?)\s*$/.exec(text)?.[1];
    if (typed.status === 'done' && amount !== undefined && Number(amount) > spentUsd) return Number(amount);
    if (typed.status === 'done')
      hint = prose([
        { text: `Enter an amount above ${spent}, such as ${Math.ceil(spentUsd) + 1}.`, style: 'flag' },
      ]);
  }
}
