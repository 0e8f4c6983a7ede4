import { createContext } from 'react';

/** Whether the password or a passkey is being asked for, above whatever dialog is open. */
export const SteppingUp = createContext(false);
