import { testArea } from '../test-area.js';

testArea('changes');
