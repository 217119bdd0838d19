import type { ModelSettings } from './types.js';

/** How an answer ended that said how it ended. `reason` is a whole sentence. */
export type Finish =
  | { status: 'answered' }
  | { status: 'cut-off'; reason: string }
  | { status: 'failed'; reason: string; mayPass: boolean };

const LIMIT = /^(?:length|max_?(?:output_?|completion_?)?tokens|model_length|token_limit)$/i;
const WINDOW = /^model_context_window_exceeded$/i;
const FILTER = /^(?:content_?filter(?:ed)?|refusal|safety|recitation|blocklist|prohibited_content|spii)$/i;
const BROKEN = /^(?:error|abort(?:ed)?|cancell?ed|insufficient_system_resource)$/i;

/**
 * `raw` is the service's own word. Services have words of their own for an end, so any that is none of the known
 * ones counts as one.
 */
export function readFinish(
  raw: string,
  { text, thought }: { text: string; thought: boolean },
  { maxOutputTokens }: Pick<ModelSettings, 'maxOutputTokens'>,
): Finish {
  if (WINDOW.test(raw)) {
    const reason = 'The answer ended where the context window of the model was full.';
    return { status: 'cut-off', reason };
  }
  if (LIMIT.test(raw)) {
    const before = text === '' ? ' before any text of it came; reasoning counts, too' : '';
    const reason = `The answer ended at its limit of ${maxOutputTokens} tokens (model.maxOutputTokens)${before}.`;
    return { status: 'cut-off', reason };
  }
  if (FILTER.test(raw)) {
    return {
      status: 'failed',
      reason: `The model, or a filter before it, refused to answer (${raw}).`,
      mayPass: false,
    };
  }
  if (BROKEN.test(raw)) {
    return {
      status: 'failed',
      reason: `The service ended the answer with an error (${raw}).`,
      mayPass: true,
    };
  }
  if (text.trim() === '') {
    const what = thought ? 'only its reasoning, and no answer' : 'an empty answer';
    return { status: 'failed', reason: `The model gave ${what}.`, mayPass: true };
  }
  return { status: 'answered' };
}
