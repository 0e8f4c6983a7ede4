declare module '*.css';
declare module '*.svg' {
  const address: string;
  // biome-ignore lint/style/noDefaultExport: the bundler gives the address of a file so.
  export default address;
}
