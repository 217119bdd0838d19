import { forTexts, type Keywords, readCount, readText } from '../keyword.js';
import { hasLength } from '../measures.js';
import { refuse } from '../run.js';

export const TEXT_KEYWORDS: Keywords = {
  minLength: (site) => {
    const minLength = readCount(site);
    if (minLength === undefined) return undefined;
    const most = Number.POSITIVE_INFINITY;
    return forTexts((text, run) => hasLength(text, minLength, most, run) || refuse(run, site, text), {
      minLength,
    });
  },
  maxLength: (site) => {
    const maxLength = readCount(site);
    if (maxLength === undefined) return undefined;
    return forTexts((text, run) => hasLength(text, 0, maxLength, run) || refuse(run, site, text), {
      maxLength,
    });
  },
  pattern: (site) => {
    const source = readText(site);
    const pattern = source === undefined ? undefined : site.pattern(source);
    return pattern && forTexts((text, run) => pattern.test(text, run) || refuse(run, site, text));
  },
};
