export { default as DOMPurify } from 'dompurify';
export { default as mermaid } from 'mermaid';
