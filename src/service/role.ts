/** The work of a process: answer partners, sequence and send events, run due jobs. */
export const SERVICE_ROLES = ['api', 'webhooks', 'schedule'] as const;
export type ServiceRole = (typeof SERVICE_ROLES)[number];
