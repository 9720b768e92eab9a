//! Times a rating system of the crate `skillratings` on matches from a file.
//!
//! Usage: `native SYSTEM FILE TEAMS PLAYERS`. The file holds 32-bit player numbers, `TEAMS` per match, the winner first.
//! The program prints the seconds per match of one pass over all matches, without reading the file.

use skillratings::elo::{elo, EloConfig, EloRating};
use skillratings::glicko2::{glicko2, Glicko2Config, Glicko2Rating};
use skillratings::trueskill::{trueskill, trueskill_multi_team, TrueSkillConfig, TrueSkillRating};
use skillratings::{MultiTeamOutcome, Outcomes};
use std::time::Instant;

fn read(path: &str) -> Vec<usize> {
    let bytes = std::fs::read(path).expect("the file of matches cannot be read");
    let number = |cell: &[u8]| i32::from_le_bytes([cell[0], cell[1], cell[2], cell[3]]) as usize;
    bytes.chunks_exact(4).map(number).collect()
}

/// Rates matches of two players one after the other, and returns the seconds per match.
fn play<R: Clone + Default>(players: usize, matches: &[usize], rate: impl Fn(&R, &R) -> (R, R)) -> f64 {
    let mut ratings = vec![R::default(); players];
    let start = Instant::now();
    for pair in matches.chunks_exact(2) {
        let (winner, loser) = rate(&ratings[pair[0]], &ratings[pair[1]]);
        ratings[pair[0]] = winner;
        ratings[pair[1]] = loser;
    }
    std::hint::black_box(&ratings);
    start.elapsed().as_secs_f64() / (matches.len() / 2) as f64
}

fn play_free_for_all(players: usize, matches: &[usize], teams: usize) -> f64 {
    let config = TrueSkillConfig::new();
    let mut ratings = vec![TrueSkillRating::default(); players];
    let start = Instant::now();
    for field in matches.chunks_exact(teams) {
        let rosters: Vec<[TrueSkillRating; 1]> = field.iter().map(|&player| [ratings[player]]).collect();
        let ranked: Vec<(&[TrueSkillRating], MultiTeamOutcome)> =
            rosters.iter().enumerate().map(|(place, team)| (&team[..], MultiTeamOutcome::new(place + 1))).collect();
        let rated = trueskill_multi_team(&ranked, &config, None).expect("the match cannot be rated");
        for (&player, team) in field.iter().zip(&rated) {
            ratings[player] = team[0];
        }
    }
    std::hint::black_box(&ratings);
    start.elapsed().as_secs_f64() / (matches.len() / teams) as f64
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let matches = read(&arguments[2]);
    let teams: usize = arguments[3].parse().expect("TEAMS is not a number");
    let players: usize = arguments[4].parse().expect("PLAYERS is not a number");
    let (win, elo_rules) = (Outcomes::WIN, EloConfig::new());
    let (glicko_rules, trueskill_rules) = (Glicko2Config::new(), TrueSkillConfig::new());
    let seconds = match arguments[1].as_str() {
        "Elo" => play(players, &matches, |a: &EloRating, b: &EloRating| elo(a, b, &win, &elo_rules)),
        "Glicko2" => play(players, &matches, |a: &Glicko2Rating, b: &Glicko2Rating| glicko2(a, b, &win, &glicko_rules)),
        "TrueSkill" if teams == 2 => play(players, &matches, |a: &TrueSkillRating, b: &TrueSkillRating| {
            trueskill(a, b, &win, &trueskill_rules)
        }),
        "TrueSkill" => play_free_for_all(players, &matches, teams),
        other => panic!("unknown system {other}"),
    };
    println!("{seconds:e}");
}
