export const LIFETIME = 3600;

export function sign(user: string): string {
  return `${user}.${LIFETIME}`;
}
