/** Made with: printf %s BODY | openssl dgst -sha256 -hmac SECRET */
export const signatureVectors: [secret: string, body: string, signature: string][] = [
  ['test-secret', '{"client_id":1}', '23a8bba52d0cc187d7dd4428ac546f574e706c2c06620f3c7f3dfdcabd196aab'],
  ['test-secret', '', 'a41bc6d81d6413576ae0994995e0ad89a416ec97389515c3604f47722122eeeb'],
  ['test-secret', '{"client_id":1}\n', '04b4d4e4cf73ad8ce9c20e8fbc89cdefaffbfaa182a7068207f2eca60fe115db'],
  ['ключ-ß-🔑', '{"name":"Ünïcode ☀ 🎲"}', 'c03bbee4e1317c0fdc5a9d52f99fd9ee0b38ef2511824b8dcf4ef57f54590d13'],
];
