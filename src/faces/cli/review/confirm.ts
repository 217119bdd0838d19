import { openTty } from '../../../node/terminal/tty.js';
import { Keyboard } from '../terminal/keyboard.js';
import { BLANK, foreign, type Line, prose, say } from '../terminal/line.js';
import { chooseLook } from '../terminal/look.js';
import { Panel } from '../terminal/panel.js';
import { Screen } from '../terminal/screen.js';
import { contentLines } from './diff-lines.js';
import { labelled } from './question-lines.js';

/** Something that a person has to have seen before they say yes to it. */
interface Confirmation {
  root: string;
  title: string;
  /** Our own words about it. */
  about: string;
  texts: { name: string; text: string }[];
  yes: string;
  no: string;
}

/** Shows texts whole and asks; 'nobody' where there is no terminal to ask at. */
export async function confirm(
  { root, title, about, texts, yes, no }: Confirmation,
  options: { color: boolean },
): Promise<'yes' | 'no' | 'interrupted' | 'nobody'> {
  const tty = openTty();
  if (tty === undefined) return 'nobody';
  const look = chooseLook(options);
  const screen = new Screen(tty, look);
  const keyboard = new Keyboard(tty, () => screen.leave());
  try {
    const build = (width: number): Line[] => [
      say(title, 'title', 0),
      say(about, undefined, 0),
      BLANK,
      ...labelled([['Root', [root]]], look, width),
      ...texts.flatMap(({ name, text }) => [
        BLANK,
        prose(foreign(name, look, { style: 'strong' })),
        ...contentLines(text, look, width),
      ]),
      BLANK,
    ];
    const choices = [
      { key: 'y', label: yes, consents: true },
      { key: 'n', label: no, also: ['q', 'escape'] },
    ];
    keyboard.open();
    screen.markPastes();
    const key = await new Panel({ screen, keyboard }, { build, choices }).ask();
    if (key === 'y') return 'yes';
    return key === 'n' ? 'no' : 'interrupted';
  } finally {
    screen.clearFoot();
    keyboard.close();
    tty.close();
  }
}
