// Words that common passwords consist of, alone or combined, with digits and signs around them: `Welcome2026!!`. Also
// whole passwords of twelve and more characters from lists of stolen ones, which consist of other words.

export const commonWords: readonly string[] = (
  'password passwort passwd pass pwd secret letmein welcome willkommen admin administrator root user guest test testing ' +
  'qwerty qwertyuiop qwertz azerty asdf asdfgh asdfghjkl zxcvbn zxcvbnm iloveyou love lovely trustno changeme change ' +
  'default login signin monkey dragon football baseball basketball soccer hockey superman batman spiderman pokemon ' +
  'princess sunshine shadow master hello freedom whatever computer internet windows google facebook twitter linkedin ' +
  'samsung apple iphone android michael jordan jennifer jessica ashley daniel thomas charlie andrew michelle nicole ' +
  'summer winter spring autumn january february march april june july august september october november december ' +
  'monday tuesday wednesday thursday friday saturday sunday london paris berlin moscow america england ' +
  'liverpool arsenal chelsea manchester barcelona juventus realmadrid casino betting bet bets bonus jackpot poker ' +
  'money lucky winner please forever killer cheese cookie flower butterfly starwars matrix ninja mustang ferrari ' +
  'company office work team staff manager support service server system database temp temporary demo example my the ' +
  'this is not your new old one two three abc xyz you'
).split(' ');

export const commonPasswords: ReadonlySet<string> = new Set([
  'correct horse battery staple',
  ...(
    '1q2w3e4r5t6y 1q2w3e4r5t6y7u 1q2w3e4r5t6y7u8i 1q2w3e4r5t6y7u8i9o 1q2w3e4r5t6y7u8i9o0p 1qazxsw23edc 1qaz2wsx3edc 1qazxsw23edcvfr4 ' +
    'q1w2e3r4t5y6 q1w2e3r4t5y6u7 q1w2e3r4t5y6u7i8 zaq12wsxcde3 zaq1xsw2cde3 zaq1zaq1zaq1 qazwsxedcrfv qazwsxedcrfvtgb qweasdzxc123 qwe123asd456 ' +
    'qwerty123456 qwerty1234567 qwerty12345678 qwerty123456789 qwertyuiop123 qwertyuiop1234 qwertyuiopasdfghjkl qwertyuiopasdfghjklzxcvbnm ' +
    'asdfghjkl123 asdfghjklzxcvbnm abcd12345678 abc123456789 abcdefg12345 abcdefgh1234 a1b2c3d4e5f6 a1s2d3f4g5h6 aa1234567890 a12345678910 ' +
    '123456789abc 123456789abcd 123456789qwe 123456789qwerty 1234567890qwe 1234567890qwerty 123456qwerty 12345qwerty12345 123qweasdzxc 123qwe123qwe ' +
    '123abc456def 147258369147 147258369000 147852369147 159357159357 741852963000 789456123000 987654321000 123123123123 121212121212 ' +
    '112233445566 11223344556677 1122334455667788 111222333444 111222333444555 102030405060 010203040506 123654789123 314159265358 3141592653589 ' +
    'thisismypassword ihatepasswords nopassword123 correcthorsebatterystaple correct-horse-battery-staple ' +
    'letmeinletmein iloveyouforever iloveyousomuch iloveyou12345 ilovemyfamily ilovejesus123 jesuschrist1 jesusislord1 godisgood123 ' +
    'unbelievable chocolate123 strawberry12 watermelon12 motherfucker fuckyoufuckyou fuckyou12345 motorola1234 blink182blink ' +
    'manchesterunited manchestercity newcastleunited tottenhamhotspur realmadridcf fcbarcelona123 leicestercity westhamunited ' +
    'slipknot666666 metallica1234 nirvana12345 greenday1234 eminem123456 harrypotter1 harrypotter123 lordoftherings ' +
    'minecraft123 counterstrike callofduty12 worldofwarcraft playstation3 playstation4 playstation5 nintendo1234 xbox36012345 ' +
    'administrator1 administrator123 adminadminadmin rootrootroot toortoortoor oracle123456 postgres1234 mysql1234567 cisco1234567 ' +
    'p@ssw0rd1234 p@ssw0rd12345 p@ssword1234 p@$$w0rd1234 pa$$word1234 passw0rd1234 password1234 password12345 password123456 passwordpassword ' +
    'mypassword123 yourpassword newpassword1 newpassword123 oldpassword1 secretpassword defaultpassword temporarypassword ' +
    'welcome12345 welcome123456 changeme1234 changemeplease changemenow1 trustno1trustno1 opensesame123 supersecret1 topsecret123 ' +
    'everquest123 cocacola1234 mercedes1234 volkswagen12 lamborghini1 harleydavidson chevrolet123 thunderbird1 ' +
    'alexander123 christopher1 elizabeth123 victoria1234 sebastian123 maximilian12 nathaniel123 gabriella123 ' +
    'california12 newyorkcity1 losangeles12 sanfrancisco deutschland1 deutschland123 frankfurt123 amsterdam123 singapore123 australia123'
  ).split(' '),
]);
