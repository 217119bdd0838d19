import { join } from 'node:path';
import { expect } from 'vitest';
import { type Example, readExamples } from './page.js';
import { makeReadersFolder, runShell, walkPage } from './shell.js';

/**
 * Goes through a page about sessions in a copy of the project of examples/session, made as the page says. The model that
 * is served there ends by itself once its folder is gone. Gives the examples that are neither files nor commands.
 */
export function walkInCalendar(page: string): { project: string; others: Example[] } {
  const folder = makeReadersFolder();
  const [copy] = (readExamples(page).find(({ language }) => language === 'sh')?.text ?? COPY).split(' && ');
  expect(runShell(copy!, folder)).toBe('');
  const project = join(folder, 'calendar');
  return { project, others: walkPage(page, project).filter(({ language }) => language !== 'sh') };
}

const COPY = 'cp -R examples/session/calendar calendar';
