import { createContext } from 'react';

/** Whether a question stands above whatever dialog is open: for the password or a passkey, or whether to leave. */
export const Below = createContext(false);
