import type { Question } from '../../../review/question.js';
import type { Choice } from '../terminal/panel.js';
import { severalHunks } from './hunk-choice.js';
import type { ReadGroup } from './read-group.js';

export function groupChoices({ actions }: ReadGroup): Choice[] {
  return [
    { key: 'y', label: `approve all ${actions.length}`, consents: true },
    { key: 'n', label: 'skip all' },
    { key: 'o', label: 'one by one' },
    { key: 'w', label: 'always allow reads' },
  ];
}

/** The keys that only some questions have. */
export function questionChoices(question: Question): Choice[] {
  const yes = { key: 'y', label: 'approve', consents: true };
  const no = { key: 'n', label: 'skip' };
  if (question.kind === 'state') return [yes, no];
  const { action, preview } = question;
  if (action.type === 'CHAT_WITH_USER')
    return [{ key: 'reply', shown: 'Enter', label: 'reply', also: ['enter', 'escape', 'y'] }, no];
  return [
    yes,
    no,
    ...(severalHunks(question) ? [{ key: 'h', label: 'choose changes' }] : []),
    { key: 'e', label: preview.kind === 'write' ? 'edit the result' : 'edit' },
    ...(preview.kind === 'write' ? [{ key: 'E', label: 'edit the action', quiet: true }] : []),
    ...(action.type === 'READ' ? [{ key: 'w', label: 'always allow reads' }] : []),
  ];
}
