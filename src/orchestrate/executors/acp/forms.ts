import type { FormField, FormRequest } from '../../../core/acp/messages.js';
import type { JsonObject, JsonValue } from '../../../core/json/values.js';
import { splitWords } from '../../../core/text.js';

// A form of an agent as questions, one for each field, and the user's words as its values.

/** More fields than anyone would answer one by one. */
export const MOST_FIELDS = 20;

type AskWords = (question: string, options: string[]) => Promise<string | null>;

/** Asks for every field; null as soon as the user does not want to answer. */
export async function fillForm({ message, fields }: FormRequest, ask: AskWords): Promise<JsonObject | null> {
  if (fields.length === 0) return (await ask(message, ['OK'])) === null ? null : {};
  const content: JsonObject = {};
  for (const field of fields) {
    const value = await askField(message, field, ask);
    if (value === undefined) return null;
    content[field.name] = value;
  }
  return content;
}

async function askField(message: string, field: FormField, ask: AskWords): Promise<JsonValue | undefined> {
  const options = field.type === 'yes-no' ? ['Yes', 'No'] : field.choices.map(({ label }) => label);
  const question = message.trim() === field.title ? message : `${message}\n\n${field.title}`;
  const hint = HINTS[field.type];
  let full = hint === '' ? question : `${question}\n${hint}`;
  for (;;) {
    const words = await ask(full, options);
    if (words === null) return undefined;
    const value = readValue(words.trim(), field);
    if (value !== undefined) return value;
    full = `${question}\n\n${JSON.stringify(words.trim())} does not fit. ${hint || 'Answer with one of the options.'}`;
  }
}

const HINTS: Readonly<Record<FormField['type'], string>> = {
  text: '',
  number: 'Answer with a number.',
  whole: 'Answer with a whole number.',
  'yes-no': '',
  several: 'Answer with one or more, separated by commas.',
};

function readValue(words: string, { type, choices }: FormField): JsonValue | undefined {
  switch (type) {
    case 'text':
      return choices.length === 0 ? words : choose(words, choices);
    case 'yes-no': {
      const yes = /^(?:1|y|yes|true)$/i.test(words);
      return yes || /^(?:2|n|no|false)$/i.test(words) ? yes : undefined;
    }
    case 'several': {
      const all = words.split(',').map((each) => each.trim());
      const chosen = choices.length === 0 ? all : all.map((each) => choose(each, choices));
      return chosen.includes(undefined) ? undefined : (chosen as string[]);
    }
    default: {
      const number = splitWords(words).length === 1 ? Number(words) : Number.NaN;
      return Number.isFinite(number) && (type === 'number' || Number.isInteger(number)) ? number : undefined;
    }
  }
}

/** By its number in the list, its label or its value. */
function choose(words: string, choices: FormField['choices']): string | undefined {
  const numbered = /^\d{1,2}$/.test(words) ? choices[Number(words) - 1] : undefined;
  const folded = words.toLowerCase();
  const named = choices.find(({ value, label }) =>
    [value, label].some((each) => each.toLowerCase() === folded),
  );
  return (named ?? numbered)?.value;
}
