import { answerParent } from '../../platform/index.js';
import { readHtml } from './readable-html.js';

answerParent(readHtml);
