/** What a process of the service may do: answer partners, number and send events, do what is due by the clock. */
export const SERVICE_ROLES = ['api', 'webhooks', 'schedule'] as const;
export type ServiceRole = (typeof SERVICE_ROLES)[number];
