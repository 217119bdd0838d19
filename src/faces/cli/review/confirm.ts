import { BLANK, foreign, type Line, prose, say } from '../terminal/line.js';
import { Panel } from '../terminal/panel.js';
import { openScreen } from '../terminal/screen.js';
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
  const screen = openScreen(options);
  if (screen === undefined) return 'nobody';
  const { look } = screen;
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
    screen.openKeyboard();
    const key = await new Panel(screen, { build, choices }).ask();
    if (key === 'y') return 'yes';
    return key === 'n' ? 'no' : 'interrupted';
  } finally {
    screen.close();
  }
}
