export const REPORT_FORMATS = ['mirrored', 'contract', 'json'] as const;

export type ReportFormat = (typeof REPORT_FORMATS)[number];
