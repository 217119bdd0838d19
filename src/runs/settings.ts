/** What a run may do and how far. Plain values: where they come from is config's to say. */
export interface RunSettings {
  execute: {
    timeoutMs: number;
    sandbox: boolean;
    /** Inside the sandbox; outside it there is no keeping a command from the network. */
    network: boolean;
    /** Lines of each output in the report; of a longer one the head and the tail. */
    outputLines: number;
  };
  read: {
    /** Whether URLs may lead to private, loopback and link-local addresses. */
    allowPrivate: boolean;
    maxBytes: number;
  };
  research: ResearchSettings | null;
}

export type ResearchSettings =
  | { provider: 'searxng'; url: string }
  /** `keyEnv` names the environment variable that holds the key. `url` is for another address of the same API. */
  | { provider: 'brave' | 'tavily'; keyEnv: string; url?: string };
