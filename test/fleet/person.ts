// A person of one release, as a process that does what it is told: `person.mjs <url> <file of effects>`.
import { storeAt } from './parts.js';
import type { Errand } from './people.js';
import { answered, ask } from './people.js';

process.on('disconnect', () => process.exit(0)); // whoever counts is gone
const [url = '', effects = ''] = process.argv.slice(2);
const store = storeAt(url);

process.on('message', (errand: Errand) => {
  const done =
    errand.type === 'ask'
      ? ask(store, errand.n, effects)
      : answered(store, errand.session, errand.question, errand.name);
  done.then(
    (result) => process.send?.({ number: errand.number, result }),
    (thrown: unknown) => process.send?.({ number: errand.number, failed: String(thrown) }),
  );
});
process.send?.('ready');
