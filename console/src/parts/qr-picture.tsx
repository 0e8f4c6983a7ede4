/** A text as a QR code, drawn here: it is a secret that no other host is told. */
import { encode } from 'uqr';

/** Cells of white around it, by which a camera finds it. */
const BORDER = 4;
const SIZE = 208;

export function QrPicture({ text, label }: { readonly text: string; readonly label: string }) {
  const { data, size } = encode(text, { border: BORDER, ecc: 'M' });
  const path = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : []))).join('');
  return (
    <svg className="qr-picture" role="img" aria-label={label} width={SIZE} height={SIZE} viewBox={`0 0 ${size} ${size}`}>
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" shapeRendering="crispEdges" />
    </svg>
  );
}
