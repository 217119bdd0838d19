import { testArea } from '../test-area.js';

testArea('tasks');
