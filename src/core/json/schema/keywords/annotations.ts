import { type Keyword, type Keywords, readText } from '../keyword.js';

const text: Keyword = (site) => void readText(site);
const flag: Keyword = (site) => {
  if (typeof site.expected !== 'boolean') return site.refuse(`${site.keyword} must be true or false.`);
  return undefined;
};

/** Words about a schema. They ask nothing of a value, `format` neither. */
export const ANNOTATION_KEYWORDS: Keywords = {
  title: text,
  description: text,
  $comment: text,
  format: text,
  contentEncoding: text,
  contentMediaType: text,
  contentSchema: (site) => void site.part(site.expected),
  default: () => undefined,
  examples: (site) => {
    if (!Array.isArray(site.expected)) return site.refuse('examples must be a list of values.');
    return undefined;
  },
  deprecated: flag,
  readOnly: flag,
  writeOnly: flag,
};
