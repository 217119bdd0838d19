import type { AttemptViews } from '../../../orchestrate/orchestration.js';
import type { Look, Style } from '../output.js';
import { foreign, type Line, leads, say, splitText } from '../terminal/line.js';
import { page } from '../terminal/pager.js';
import type { Screen } from '../terminal/screen.js';

/** Pages through the current output or changes of a task's attempt. */
export async function viewAttempt(
  screen: Screen,
  what: 'output' | 'diff',
  id: string,
  views: AttemptViews,
): Promise<'read' | 'interrupted' | 'ended'> {
  let text = '';
  const load = async () => {
    text = await views[what](id);
  };
  await load();
  const title = say(what === 'output' ? `Output of ${id}` : `Changes of ${id}`, 'title', 0);
  const build = () => [
    title,
    ...(what === 'output' ? textLines(text, screen.look) : diffTextLines(text, screen.look)),
  ];
  const end = await page(screen, build, undefined, load);
  screen.endPaging();
  return end;
}

function textLines(text: string, look: Look): Line[] {
  return splitText(text).map((each) => lineOf(each, look));
}

const STYLES: readonly [RegExp, Style][] = [
  [/^(?:diff |new file |\+\+\+ |--- )/, 'strong'],
  [/^@@/, 'accent'],
  [/^\+/, 'good'],
  [/^-/, 'bad'],
];

const CHANGE_ID = /^change [0-9a-f]{16}$/gm;

/** A coloured diff without index lines. Here, changes are chosen with a key, so their ids are not shown. */
export function diffTextLines(text: string, look: Look): Line[] {
  const lines = splitText(text.replace(CHANGE_ID, '@@')).filter(
    (each) => !/^index [0-9a-f]+\.\.[0-9a-f]+/.test(each),
  );
  return lines.map((each) => lineOf(each, look, STYLES.find(([pattern]) => pattern.test(each))?.[1]));
}

/** A line behind the gutter, which marks text from elsewhere. */
function lineOf(text: string, look: Look, style?: Style): Line {
  return {
    ...leads(look, '', ''),
    spans: foreign(text, look, style === undefined ? {} : { style }),
    wrap: 'cells',
  };
}
