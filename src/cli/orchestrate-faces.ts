// What `teddy orchestrate` does. With all that it needs it is one part of the program, which loads it when it is called.
export { type OrchestrateWords, orchestrate } from './orchestrate/orchestrate.js';
