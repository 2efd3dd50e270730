-- weight: 1
SELECT id, moves FROM games_played WHERE white_id = 321 OR black_id = 321;
