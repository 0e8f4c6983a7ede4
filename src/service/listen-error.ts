/**
 * For a failed `listen`: what to do when another program has the port.
 *
 * @param setting The setting of the port, up to its number, such as `PORT=`.
 */
export function explainBusyPort(setting: string, port: number): (error: unknown) => never {
  return (cause) => {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE')
      throw new Error(`The port ${port} is in use by another program. Choose another port, such as ${setting}${port + 10}`, {
        cause,
      });
    if (code === 'EACCES')
      throw new Error(`The port ${port} is not allowed for this user. Choose one above 1023: ${setting}${port + 8_000}`, {
        cause,
      });
    throw cause;
  };
}
