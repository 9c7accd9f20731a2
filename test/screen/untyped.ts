/** Bytes that nobody types to say yes. */
export const UNTYPED = {
  'a paste of y and Enter': '\u001b[200~y\r\u001b[201~',
  'a paste of yes in several lines': '\u001b[200~y\ry\n\u001b[201~',
  'a paste that ends its own frame': '\u001b[200~\u001b[201~y\r',
  'a paste without a frame': 'y\r',
  'device attributes': '\u001b[?1;2c',
  'secondary device attributes': '\u001b[>0;276;0c',
  'a cursor report': '\u001b[24;80R',
  'a clipboard': '\u001b]52;c;eQ==\u0007',
  'a colour': '\u001b]11;rgb:0000/0000/0000\u001b\\',
  'a version': '\u001bP>|y\u001b\\',
  'a focus': '\u001b[I',
  'a mouse click': '\u001b[<0;1;1M',
} as const;
