/** The options that every command takes, before its name or after. */
export interface GlobalOptions {
  root?: string;
  json?: boolean;
  color: boolean;
  trust?: boolean;
}
